GRAB rack
