import SeaEngine

extension Option {
  static let assets = Option(
    "assets", nil, .offered(["all", "none"]), "FILTER",
    "choose which assets to transfer: all, none or KEY=VALUE,...; see sea-sync(1)")
}

extension Arguments {
  func assetRule() throws(UsageFault) -> AssetFilter? {
    guard let text = text(.assets) else { return nil }
    guard let filter = AssetFilter(text) else {
      throw .badValue(
        option: Option.assets.dashed, value: text,
        expected: .choice(["all", "none", "KEY=VALUE,... with the keys max-size, min-size, mime, type"]))
    }
    return filter
  }
}
