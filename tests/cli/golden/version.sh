"$cellpipe" --version
