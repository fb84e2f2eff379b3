package protocol FieldSource {
  func field(_ name: String) -> Field
  func pointer(_ pointer: String) -> Field
}

extension FieldSource {
  package func pointer(_ pointer: String) -> Field { .absent }
}
