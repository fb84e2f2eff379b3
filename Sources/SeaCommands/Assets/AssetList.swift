import SeaCore
import SeaKit

/// The forms in which assets are listed.
final class AssetList {
  private struct Item {
    var use: AssetUse?
    var place: String
    var size: Int64
    var isHere: Bool
    /// The containers that have it; nil if nobody looked.
    var containers: [String]?
  }

  private static let fields = ["id", "type", "path", "asset", "size", "mime", "sha256", "here", "where", "copies"]

  private let context: Context
  private let database: Database
  private let template: Template?
  private var table: Table
  private let copies: AssetCopies?
  /// What is held back until all is known.
  private var waiting: [Item]?

  init(_ context: Context, _ database: Database, _ arguments: Arguments) throws {
    self.context = context
    self.database = database
    template = try arguments.text(.format).map {
      try Template($0, fields: AssetList.fields, shell: arguments.has(.shell), zero: context.options.zero)
    }
    copies = arguments.has(AssetsCommand.whereis) ? try context.copies(in: database) : nil
    let columns: [Table.Column] = [
      .init("ID"), .init("PATH"), .init("SIZE", right: true), .init("KIND"), .init("HERE"),
    ]
    table = Table(
      columns + (copies == nil ? [] : [.init("COPIES", right: true), .init("IN")]), width: context.width,
      output: context.output)
    if arguments.has(AssetsCommand.sort) { waiting = [] }
  }

  func add(_ use: AssetUse, isHere: Bool) throws {
    let containers = try copies.map { try database.holders(of: use.asset, among: $0) }
    try add(
      Item(
        use: use, place: use.asset.run.description, size: use.asset.size, isHere: isHere, containers: containers))
  }

  /// A file that nobody names.
  func add(_ place: AssetPlace, _ size: Int64) throws {
    let containers = try copies.map { copies in
      try copies.origins.filter { try $0.source.assetSize(place) == size }.map(\.name)
    }
    try add(Item(use: nil, place: place.description, size: size, isHere: true, containers: containers))
  }

  private func add(_ item: Item) throws {
    if waiting == nil { try print(item) } else { waiting?.append(item) }
  }

  /// Must be called once, after the last one.
  func end() throws {
    let sorted = (waiting ?? []).enumerated().sorted {
      ($1.element.size, $0.offset) < ($0.element.size, $1.offset)
    }
    for (_, item) in sorted { try print(item) }
    try table.end()
  }

  private func print(_ item: Item) throws {
    let number = item.containers.map { $0.count + (item.isHere ? 1 : 0) }
    if context.options.json {
      try context.object {
        $0.text("event", "asset")
        $0.text("id", item.use?.record.id)
        $0.text("type", item.use?.record.type)
        $0.text("path", item.use?.path?.pointer)
        $0.text("asset", item.place)
        $0.integer("size", item.size)
        $0.text("mime", item.use?.asset.mime)
        $0.text("sha256", item.use?.asset.digest.description)
        $0.flag("here", item.isHere)
        if let containers = item.containers { $0.texts("where", containers) }
        if let number { $0.integer("copies", number) }
      }
    } else if let template {
      var fields = FieldTable()
      fields["id"] = item.use.map { .text($0.record.id) }
      fields["type"] = item.use?.record.type.map { .text($0) }
      fields["path"] = item.use?.path.map { .text($0.description) }
      fields["asset"] = .text(item.place)
      fields["size"] = .integer(item.size)
      fields["mime"] = item.use.map { .text($0.asset.mime) }
      fields["sha256"] = item.use.map { .text($0.asset.digest.description) }
      fields["here"] = .flag(item.isHere)
      fields["where"] = item.containers.map { .text($0.joined(separator: " ")) }
      fields["copies"] = number.map { .integer(Int64($0)) }
      try context.output.write(template.bytes(fields, context))
    } else {
      // What nobody names is known by its place alone.
      let place = item.use == nil ? item.place : item.use?.path?.description ?? "-"
      var cells = [
        item.use?.record.id ?? "-", place, SizeText.of(item.size), item.use?.asset.mime ?? "-",
        item.isHere ? "yes" : "no",
      ]
      if let number { cells += [String(number), item.containers?.joined(separator: " ") ?? ""] }
      try table.row(cells)
    }
  }
}
