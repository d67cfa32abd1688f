fly_folder(compiler/lower
  DOES "less")
fly_folder(compiler/sema/value
  DOES "values"
  USES upper)
fly_folder(compiler/upper
  DOES "more"
  USES lower sema/value)
