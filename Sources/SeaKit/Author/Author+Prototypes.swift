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
