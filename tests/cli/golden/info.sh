"$cellpipe" info cell.wu
