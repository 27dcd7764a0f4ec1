"$cellpipe" info --json cell.wu
