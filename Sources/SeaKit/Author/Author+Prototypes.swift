import SeaCore

extension Records {
  /// What a record of a type gets when it is made.
  package func defaults(of type: String?) throws -> [(path: PropertyPath, value: Value)] {
    try type.map { try author.prototypes().values(of: $0) } ?? []
  }
}

extension Author {
  /// The defaults that hold now.
  func prototypes() throws -> Prototypes {
    Prototypes(
      shared: try SharedSettings(self).all().filter {
        $0.key.section == "type" && ConfigSources.isShareable($0.key, $0.value)
      },
      own: try folder.settings.ownConfig().filter { $0.key.section == "type" })
  }
}
