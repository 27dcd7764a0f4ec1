"$cellpipe" help
for word in convert batch run info check diff collide manifest report formats filters help; do
    "$cellpipe" help $word
done
