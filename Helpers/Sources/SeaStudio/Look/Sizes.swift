import SeaKit

/// A chart of the sizes of files.
enum Sizes {
  /// - Parameter container: the name of the container with the files; nil for this database.
  static func chart(_ files: [Database.Inspection.Files], in container: String?) -> HTML {
    let total = files.reduce(Int64(0)) { $0 + $1.bytes }
    let sorted = files.filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }
    let largest = Double(max(1, sorted.first?.bytes ?? 1))
    let rows: [HTML] = sorted.map { one in
      """
      <tr><th scope=row>\(one.about) <span class=quiet>\(Amount.count(one.count, "file"))</span>\
      \(SVG.bar(Double(one.bytes) / largest))</th><td class=number>\(Amount.size(one.bytes))</td></tr>
      """
    }
    return """
      <section aria-labelledby=sizes><h2 id=sizes>Sizes</h2><div class=scroll tabindex=0 role=region aria-label="Table: sizes"><table class=chart>\
      <caption class=hidden>Sizes of the files by kind</caption>\
      <thead class=hidden><tr><th scope=col>files</th><th scope=col>size</th></tr></thead><tbody>\(rows)</tbody>\
      <tfoot><tr><th scope=row>all files</th><td class=number>\(Amount.size(total))</td></tr></tfoot></table></div>\
      \(Fragments.command(CommandText(words: ["inspect"] + (container.map { [$0] } ?? []))))</section>
      """
  }
}
