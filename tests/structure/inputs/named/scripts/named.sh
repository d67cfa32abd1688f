case $arch in
gfx9*) lanes=64 ;;
*) lanes=32 ;;
esac
