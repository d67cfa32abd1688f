define float @f(float %x) {
  %y = fmul float %x, %x
  ret float %y
}
