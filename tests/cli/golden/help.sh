"$cellpipe" help
for word in convert run info check diff collide formats filters help; do
    "$cellpipe" help $word
done
