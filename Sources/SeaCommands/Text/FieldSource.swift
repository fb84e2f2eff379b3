/// An item whose fields a template can show.
package protocol FieldSource {
  func field(_ name: String) -> Field
  /// The value at a JSON Pointer.
  func pointer(_ pointer: String) -> Field
}

extension FieldSource {
  package func pointer(_ pointer: String) -> Field { .absent }
}
