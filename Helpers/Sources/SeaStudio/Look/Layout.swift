import SeaKit

/// The frame of all pages.
struct Layout {
  let visit: Visit
  let title: String
  /// The state that the page shows. The script asks for the changes since this position.
  var position: Position?
  /// The number of records in conflict.
  var conflicts = 0
  var note: Note?

  func html(_ content: HTML) -> HTML {
    let studio = visit.studio
    let live: HTML? = position.map {
      "<p class=news id=news role=status hidden data-since=\"\(value: $0.description)\"></p>"
    }
    return """
      <!DOCTYPE html>
      <html lang=en>
      <head>\(Layout.head("\(title) – \(studio.name)"))</head>
      <body>
      <a class=skip href="#main">Skip to the content</a>
      <header class=top>
      <a class=brand href="/"><img src="/icon.svg" alt="" width=20 height=20><span>\(studio.name)</span></a>
      <nav aria-label="Pages"><ul>\(navigation)</ul></nav>
      \(studio.gate.isReadOnly ? Layout.readOnly : nil)
      </header>
      \(live)
      <main id=main tabindex=-1>
      \(note.map(Layout.note))
      \(content)
      </main>
      </body>
      </html>
      """
  }

  private static let readOnly: HTML =
    "<span class=badge title=\"Started with --read-only: nothing can be changed\">read-only</span>"

  /// A page without a database, for requests that are refused.
  static func bare(_ title: String, _ content: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang=en>
    <head>\(head(title))</head>
    <body class=bare><main id=main>\(content)</main></body>
    </html>
    """
  }

  private static func head(_ title: String) -> HTML {
    """
    <meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">\
    <meta name=color-scheme content="light dark"><title>\(label: title)</title>\
    <link rel=icon href="/icon.svg" type="image/svg+xml"><link rel=stylesheet href="/studio.css">\
    <script src="/studio.js" defer></script>
    """
  }

  private var navigation: [HTML] {
    let here = Routes.all.first { $0.path == visit.request.path }
    return Routes.all.compactMap { route in
      guard let title = route.title else { return nil }
      let current: HTML? =
        route.path != here?.section ? nil : " aria-current=\(route.path == here?.path ? "page" : "true")"
      let count: HTML? =
        route.path == "/conflicts" && conflicts > 0 ? " <span class=count>\(Amount.count(conflicts))</span>" : nil
      return "<li><a href=\"\(value: route.path)\"\(current)>\(title)\(count)</a></li>"
    }
  }

  private static func note(_ note: Note) -> HTML {
    // A note without a command tells that nothing was done.
    """
    <div class="\(note.command == nil ? "said" : "done")" role=status><p>\(note.text)\
    \(note.link.map { " <a href=\"\($0.to)\">\($0.title)</a>" as HTML })\
    </p>\(note.command.map { Fragments.command($0) })</div>
    """
  }
}
