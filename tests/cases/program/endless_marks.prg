a: OUT 1,1
GOTO a
