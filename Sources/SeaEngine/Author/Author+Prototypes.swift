extension Author {
  /// The defaults that hold now for records of a type.
  func prototypes(of type: String) throws -> Prototypes {
    Prototypes(
      shared: try SharedSettings(self).counting(SharedGroup(type: type)),
      own: try folder.settings.ownConfig().filter { $0.key.section == "type" })
  }
}
