again: GOTO again
