"$cellpipe" --version | sed '1!s/ [0-9][0-9.]*$/ N/'
