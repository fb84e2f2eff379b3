/// The pages. To add a page, write one file in `Pages`, and add one line here.
enum Routes {
  typealias Body = @Sendable (Visit) async throws -> Answer

  struct Route: Sendable {
    let path: String
    /// The title in the navigation; nil if the page is not listed there.
    let title: String?
    /// The path of the page in the navigation that this page belongs to.
    let section: String
    let show: Body?
    let change: Body?

    init(_ path: String, _ title: String? = nil, in section: String? = nil, show: Body? = nil, change: Body? = nil) {
      (self.path, self.title, self.section, self.show, self.change) = (path, title, section ?? path, show, change)
    }
  }

  static let all: [Route] = [
    Route("/", "Records", show: RecordsPage.show),
    Route("/record", in: "/", show: RecordPage.show),
    Route("/edit", in: "/", show: EditPage.show, change: EditPage.save),
    Route("/new", in: "/", show: NewPage.show, change: NewPage.save),
    Route("/delete", in: "/", show: DeletePage.show, change: DeletePage.delete),
    Route("/revert", in: "/", show: RevertPage.show, change: RevertPage.revert),
    Route("/conflicts", "Conflicts", show: ConflictsPage.show),
    Route("/conflict", in: "/conflicts", show: ConflictPage.show, change: ConflictPage.change),
    Route("/resolve", change: ResolveAllPage.change),
    Route("/copies", "Copies", show: CopiesPage.show),
    Route("/sync", in: "/copies", show: SyncPage.show, change: SyncPage.change),
    Route("/attach", in: "/copies", show: AttachPage.show, change: AttachPage.change),
    Route("/detach", in: "/copies", show: DetachPage.show, change: DetachPage.change),
    Route("/members", "Members", show: MembersPage.show),
    Route("/authorize", in: "/members", show: AuthorizePage.show, change: AuthorizePage.change),
    Route("/revoke", in: "/members", show: RevokePage.show, change: RevokePage.change),
    Route("/operations", "History", show: OperationsPage.show),
    Route("/undo", in: "/operations", show: UndoPage.show, change: UndoPage.undo),
    Route("/deleted", "Deleted", show: DeletedPage.show),
    Route("/health", "Health", show: HealthPage.show),
    Route("/blocks", "Blocks", show: BlocksPage.show),
    Route("/block", in: "/blocks", show: BlockPage.show),
    Route("/tree", in: "/", show: TreePage.show),
    Route("/asset", show: AssetAnswer.show),
    Route("/fetch", in: "/", show: FetchPage.show, change: FetchPage.fetch),
    Route("/events", show: EventsAnswer.show),
    Route("/suggest", show: SuggestAnswer.show),
    Route("/news", show: NewsAnswer.show),
    Route("/studio.css", show: Resources.style),
    Route("/studio.js", show: Resources.script),
    Route("/icon.svg", show: Resources.icon),
  ]
}

/// The files of the pages, which are part of the program.
enum Resources {
  static func style(_ visit: Visit) -> Answer { file("text/css; charset=utf-8", PackageResources.studio_css) }
  static func script(_ visit: Visit) -> Answer { file("text/javascript; charset=utf-8", PackageResources.studio_js) }
  static func icon(_ visit: Visit) -> Answer { file("image/svg+xml", Array(drawing.utf8)) }

  private static func file(_ type: String, _ bytes: [UInt8]) -> Answer { Answer(200, type, .bytes(bytes)) }

  private static let drawing = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b7a"/>\
    <g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M6 12q5-5 10 0t10 0"/>\
    <path d="M6 18q5-5 10 0t10 0" opacity=".75"/><path d="M6 24q5-5 10 0t10 0" opacity=".5"/></g></svg>
    """
}
