LMOV 463.2, 223.7, 490                  ; straight up, above the part
LMOV 463.2, 223.7, 410                  ; down to it
HANDLE CLOSE Part
IMOV 0, 0, 80                           ; up
IMOV 0, -200, 0                         ; and over
IMOV 0, 0, -80
HANDLE OPEN
IMOV 0, 0, 80
HOME
END
