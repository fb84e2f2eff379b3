import SeaKit

/// How values look.
struct ValueView {
  /// The record that has the values; assets are found through it.
  let id: String
  var revision: Revision?
  /// The titles of referenced records, by id. A referenced record without an entry does not exist.
  var titles: [String: String] = [:]
  /// The pictures among the files, for pages that show them.
  var files = Files()

  /// The most characters of a text that a page shows.
  static let most = 200_000

  /// A value in a cell of a table: one line.
  func cell(_ value: Value, _ names: [String]) -> HTML {
    switch value.unlabeled {
    case .string(let text): return "<bdi>\(text.cut(120))</bdi>"
    case .asset(let asset):
      if Picture.isPicture(asset.mimeType) {
        return """
          <a href="\(Fragments.record(id))"><img class=thumb src="\(address(names, isSmall: true))" \
          alt="\(label: names.last ?? "picture")" loading=lazy width=40 height=30></a>
          """
      }
      return "<span class=quiet>\(asset.mimeType), \(Amount.size(asset.size))</span>"
    case .reference(let reference): return link(reference, isShort: true)
    case .set(let elements):
      return
        """
        <span class=tags>\(tags(elements, names, most: 6))\(elements.count > 6 ? "…" : nil)</span>
        """
    case .array(let values):
      return "<span class=quiet>\(Amount.count(values.count, "value")):</span> <bdi>\(value.fieldText.cut(80))</bdi>"
    case .dictionary: return "<bdi>\(value.fieldText.cut(100))</bdi>"
    default: return scalar(value.unlabeled)
    }
  }

  /// A value on the page of its record.
  func full(_ value: Value, _ names: [String]) -> HTML {
    switch value.unlabeled {
    case .string(let text):
      let isLong = text.utf8.count > 80 || text.contains("\n")
      return isLong ? "<div class=long><bdi>\(text.cut(ValueView.most))</bdi></div>" : "<bdi>\(text)</bdi>"
    case .asset(let asset): return file(asset, names)
    case .reference(let reference): return link(reference, isShort: false)
    case .set(let elements):
      if elements.isEmpty { return "<span class=quiet>empty</span>" }
      return
        """
        <span class=tags>\(ValueView.sorted(elements).map { "<span class=tag>\(cell($0, names))</span>" as HTML })\
        </span>
        """
    case .array(let values) where values.isEmpty: return "<span class=quiet>empty</span>"
    case .dictionary(let members) where members.isEmpty: return "<span class=quiet>empty</span>"
    case .array, .dictionary: return "<div class=long><bdi>\(value.fieldText.cut(ValueView.most))</bdi></div>"
    default: return scalar(value.unlabeled)
    }
  }

  private func scalar(_ value: Value) -> HTML {
    switch value {
    case .null: "<span class=quiet>null</span>"
    case .bool(let value): value ? "yes" : "no"
    case .date(let time): Times.html(time)
    case .day(let day): "<time datetime=\"\(value: day.description)\">\(day.description)</time>"
    case .data(let bytes): "<span class=quiet>\(Amount.size(Int64(bytes.count)))</span>"
    default: "\(value.fieldText)"
    }
  }

  private func tags(_ elements: [Value], _ names: [String], most: Int = .max) -> [HTML] {
    ValueView.sorted(elements).prefix(most).map { "<span class=tag>\(cell($0, names))</span>" }
  }

  static func sorted(_ elements: [Value]) -> [Value] { elements.sorted { $0.fieldText < $1.fieldText } }

  private static let none: HTML = "<span class=quiet>none</span>"

  /// A value that goes, or that comes.
  func old(_ value: Value?) -> HTML { value.map { "<del>\(brief($0))</del>" } ?? ValueView.none }
  func new(_ value: Value?) -> HTML { value.map { "<ins>\(brief($0))</ins>" } ?? ValueView.none }

  private func link(_ reference: RecordReference, isShort: Bool) -> HTML {
    guard let title = titles[reference.id] else {
      return
        """
        <a href="\(Fragments.record(reference.id))"><bdi>\(reference.id.cut(60))</bdi></a> \
        <span class=warn title="No record has this id here">missing</span>
        """
    }
    if isShort { return "<a href=\"\(Fragments.record(reference.id))\"><bdi>\(title.cut(60))</bdi></a>" }
    return Fragments.link(to: reference.id, title: title == reference.id ? nil : title)
  }

  func address(_ names: [String], isSmall: Bool = false, downloads: Bool = false) -> Link {
    Link("/asset", parameters(names) + [("small", isSmall ? "1" : nil), ("download", downloads ? "1" : nil)])
  }

  private func parameters(_ names: [String]) -> [(String, String?)] {
    [("id", id), ("path", Field.pointer(names)), ("rev", revision?.description)]
  }

  private func file(_ asset: Asset, _ names: [String]) -> HTML {
    if files.missing.contains(asset) {
      return """
        <p>\(asset.mimeType), \(Amount.size(asset.size))</p><p class=quiet>Not on this device. \
        <a href="\(Link("/fetch", parameters(names)))">Fetch it</a></p>
        """
    }
    let about: HTML = """
      <span class=quiet>\(asset.mimeType), \(Amount.size(asset.size))</span> \
      <a href="\(address(names, downloads: true))" download>Download</a>
      """
    guard files.pictures.contains(asset) else { return about }
    return """
      <figure><a href="\(address(names))"><img class=photo src="\(address(names))" alt="\
      \(label: names.joined(separator: " "))" \
      loading=lazy></a><figcaption>\(about)</figcaption></figure>
      """
  }
}
