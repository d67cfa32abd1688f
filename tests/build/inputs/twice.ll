define float @f(float %x) {
  %y = fadd float %x, %x
  ret float %y
}
