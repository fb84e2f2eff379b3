/// The fields of one item, for a template.
struct FieldTable: FieldSource {
  var fields: [String: FieldValue] = [:]

  subscript(_ name: String) -> FieldValue? {
    get { fields[name] }
    set { fields[name] = newValue }
  }

  func field(_ name: String) -> FieldValue? { fields[name] }
}
