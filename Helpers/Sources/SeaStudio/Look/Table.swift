extension Fragments {
  /// A table that becomes a list of cards on a phone. Cells need the role `cell` and `data-label`, because the cards
  /// are not laid out as a table.
  /// - Parameter numbers: the columns with numbers.
  static func table(_ caption: String, _ columns: [String], numbers: Set<Int> = [], _ rows: [HTML]) -> HTML {
    let heads: [HTML] = columns.enumerated().map { k, title in
      let content: HTML = title.isEmpty ? "<span class=hidden>more</span>" : "\(title)"
      return "<th scope=col role=columnheader\(numbers.contains(k) ? " class=number" : "")>\(content)</th>"
    }
    return """
      <div class=scroll role=region aria-label="Table: \(label: caption)" tabindex=0><table class=records role=table>\
      <caption class=hidden>\(caption)</caption><thead role=rowgroup><tr role=row>\(heads)</tr></thead>\
      <tbody role=rowgroup>\(rows)</tbody></table></div>
      """
  }
}
