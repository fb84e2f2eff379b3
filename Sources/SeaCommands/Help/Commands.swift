package enum Commands {
  package static let version = "0.1.0"

  /// All commands, in the order of the command list.
  package static let all: [any Command.Type] = [
    InitCommand.self,
    CloneCommand.self,
    StatusCommand.self,
    ConfigCommand.self,
    PutCommand.self,
    GetCommand.self,
    SetCommand.self,
    DeleteCommand.self,
    QueryCommand.self,
    SqlCommand.self,
    StudioCommand.self,
    LogCommand.self,
    ShowCommand.self,
    DiffCommand.self,
    OpsCommand.self,
    UndoCommand.self,
    RevertCommand.self,
    StatsCommand.self,
    ChangesCommand.self,
    ConflictsCommand.self,
    ResolveCommand.self,
    AssetsCommand.self,
    FetchAssetsCommand.self,
    DropAssetsCommand.self,
    AddContainerCommand.self,
    RemoveContainerCommand.self,
    ContainersCommand.self,
    SyncCommand.self,
    PullCommand.self,
    PushCommand.self,
    WatchCommand.self,
    MirrorCommand.self,
    ServeCommand.self,
    ExportCommand.self,
    ImportCommand.self,
    DumpCommand.self,
    LoadCommand.self,
    PasswdCommand.self,
    InstancesCommand.self,
    AuthorizeCommand.self,
    RevokeCommand.self,
    VerifyCommand.self,
    CheckCommand.self,
    DoctorCommand.self,
    InspectCommand.self,
    GcCommand.self,
    PurgeCommand.self,
    ReindexCommand.self,
    RevParseCommand.self,
    CatBlockCommand.self,
    HeadsCommand.self,
    BatchCommand.self,
    HashRecordCommand.self,
    PickWinnerCommand.self,
    MergeRecordCommand.self,
    TestHelperCommand.self,
    HelpCommand.self,
    VersionCommand.self,
  ]

  /// The aliases of commands. Each alias has a man page, and some imply an option.
  package static let synonyms: [(name: String, command: String, implies: Option?, about: String)] = [
    ("list", "query", nil, "the same as query"), ("fsck", "verify", nil, "the same as verify"),
    ("backup", "export", ExportCommand.backup, "write everything, including settings and hooks, to a bundle"),
    ("restore", "clone", CloneCommand.restore, "create an instance from a backup, including its settings"),
  ]

  /// Returns the list entries of a group: each command, followed by its aliases.
  package static func listed(in group: Group) -> [(name: String, about: String)] {
    all.filter { $0.group == group }.flatMap { command in
      [(command.name, command.summary)] + synonyms.filter { $0.command == command.name }.map { ($0.name, $0.about) }
    }
  }

  /// The guides that `sea help` can open in addition to the pages of the commands.
  package static let guides: [(name: String, about: String)] = [
    ("tutorial", "a tour for beginners"), ("workflows", "recipes for common jobs"),
    ("from-git", "sea for users of git, CouchDB and restic"), ("recovery", "what to do after damage or loss"),
    ("cli", "global options, names, times and exit statuses"),
    ("query", "query records with conditions and SQL"), ("json", "the output of --json"),
    ("conflicts", "how conflicts arise and how to resolve them"),
    ("encryption", "what is encrypted, and who can read it"), ("glossary", "terms and their meanings"),
    ("config", "settings"), ("hooks", "programs that run before and after changes"),
    ("helpers", "programs that access remote containers"), ("record", "record format"), ("merge", "merge rules"),
    ("members", "members and their rights"), ("format", "container format"), ("server", "settings of sea-server"),
    ("bundle", "bundle format"), ("hints", "summary files of containers"),
    ("datastore", "Datastore interchange format"),
  ]

  package static var names: [String] { all.map { $0.name } + synonyms.map { $0.name } }

  package static func find(_ name: String) -> (any Command.Type)? {
    if let command = all.first(where: { $0.name == name }) { return command }
    guard let synonym = synonyms.first(where: { $0.name == name }) else { return nil }
    return all.first { $0.name == synonym.command }
  }
}
