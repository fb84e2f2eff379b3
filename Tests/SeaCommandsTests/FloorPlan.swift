/// The floors of a target: its folders, the lowest first, each with those below that it may mention.
struct FloorPlan: CustomStringConvertible {
  let target: String
  let floors: [(folder: String, below: Set<String>)]
  var description: String { target }

  /// The plans of docs/folders.md. Files that lie in no folder of their target are the folder ".".
  static let all = [
    FloorPlan(
      target: "SeaCore",
      floors: [
        ("Bytes", []),
        ("Crypto", ["Bytes"]),
        ("CBOR", ["Bytes"]),
        ("Value", ["Bytes", "CBOR"]),
        ("Revision", ["Bytes"]),
        ("JSON", ["Bytes", "CBOR", "Value", "Revision"]),
        ("Keys", ["Bytes", "Crypto"]),
        ("Assets", ["Bytes", "Crypto", "CBOR", "Value", "Keys"]),
        ("Slots", ["Bytes", "Crypto", "CBOR", "Keys"]),
        ("Compression", []),
        ("Block", ["Bytes", "Crypto", "CBOR", "Compression", "Value", "Revision", "Keys"]),
        ("Rows", ["Bytes", "Value", "Revision", "Assets", "Block"]),
        ("Chain", ["Bytes", "Crypto", "CBOR", "Keys", "Block"]),
        ("Merge", ["Bytes", "Value", "Revision", "JSON"]),
        ("Membership", ["Bytes", "Crypto", "CBOR", "Keys", "Block"]),
      ]),
    FloorPlan(
      target: "SeaStore",
      floors: [
        ("SQLite", []),
        ("Blocks", ["SQLite"]),
        ("Indexes", ["SQLite"]),
        ("Feed", ["SQLite"]),
        ("Records", ["SQLite", "Blocks", "Indexes", "Feed"]),
        ("Assets", ["SQLite", "Records"]),
        ("Peers", ["SQLite"]),
        ("Query", ["SQLite", "Blocks", "Indexes", "Records"]),
        ("Foreign", ["SQLite", "Query"]),
        (".", ["SQLite", "Blocks", "Indexes", "Feed", "Records", "Assets", "Peers", "Query"]),
      ]),
    FloorPlan(
      target: "SeaEngine",
      floors: [
        ("Facts", []),
        ("Config", []),
        ("Foreign", []),
        ("SeaFolder", ["Facts", "Config"]),
        ("Blocks", ["Facts", "SeaFolder"]),
        ("Members", ["Facts", "SeaFolder"]),
        ("Keychain", ["Facts", "SeaFolder", "Blocks", "Members"]),
        ("Author", ["Facts", "Config", "SeaFolder", "Blocks", "Members", "Keychain"]),
        ("Access", ["Facts", "SeaFolder", "Blocks", "Members", "Keychain", "Author"]),
        ("Records", ["Facts", "Config", "Author"]),
        ("Query", ["Facts", "Config", "Members", "Author", "Records"]),
        ("Conflicts", ["Facts", "Config", "SeaFolder", "Author", "Records"]),
        ("History", ["Facts", "Config", "SeaFolder", "Author", "Records", "Conflicts"]),
        ("Feed", ["Facts", "Query", "History"]),
        ("Assets", ["Facts", "Config", "SeaFolder", "Author", "Records"]),
        ("Containers", ["Facts", "Config", "SeaFolder", "Blocks", "Members", "Assets"]),
        (
          "Purge",
          ["Facts", "SeaFolder", "Blocks", "Members", "Author", "Records", "Assets", "Containers"]
        ),
        (
          "Exchange",
          [
            "Facts", "SeaFolder", "Blocks", "Members", "Keychain", "Author", "Access", "Query", "Conflicts", "Assets",
            "Containers", "Purge",
          ]
        ),
        (
          "Bundles",
          [
            "Facts", "Config", "SeaFolder", "Blocks", "Members", "Keychain", "Author", "Conflicts", "Assets",
            "Exchange",
          ]
        ),
        ("Words", ["Facts", "Config", "Blocks", "Records", "Query", "Bundles"]),
        (
          "Verify",
          [
            "Facts", "SeaFolder", "Blocks", "Members", "Keychain", "Records", "Assets", "Containers", "Exchange",
            "Bundles",
          ]
        ),
        (
          "Database",
          [
            "Facts", "SeaFolder", "Members", "Keychain", "Author", "Access", "Records", "Query", "Conflicts",
            "History", "Feed",
            "Assets", "Containers", "Purge", "Exchange", "Bundles", "Verify",
          ]
        ),
        (
          "Doctor",
          [
            "Facts", "SeaFolder", "Keychain", "Author", "Assets", "Containers", "Exchange", "Words", "Database",
          ]
        ),
        ("Inspect", ["Facts", "Blocks", "Bundles", "Words", "Database"]),
      ]),
    FloorPlan(
      target: "SeaContainer",
      floors: [
        ("Container", []),
        ("Directory", ["Container"]),
        ("Memory", ["Container"]),
        ("Bundle", ["Container"]),
        ("Helper", ["Container", "Directory", "Bundle"]),
      ]),
    FloorPlan(
      target: "SeaKit",
      floors: [
        ("Errors", []),
        ("Values", []),
        ("Records", ["Errors", "Values"]),
        ("Coding", ["Errors", "Values", "Records"]),
        ("Query", ["Errors", "Values", "Records", "Coding"]),
        ("Container", ["Values"]),
        ("Keys", ["Errors", "Values"]),
        ("Database", ["Errors", "Values", "Records", "Coding", "Query", "Container", "Keys"]),
        ("Changes", ["Values", "Records", "Database"]),
        ("Live", ["Values", "Records", "Coding", "Query", "Database"]),
        ("Conflicts", ["Errors", "Values", "Records", "Coding", "Database"]),
        ("Sync", ["Errors", "Values", "Database", "Conflicts"]),
        ("History", ["Errors", "Values", "Records", "Coding", "Query", "Database", "Changes"]),
        ("Assets", ["Errors", "Values", "Records", "Container", "Database"]),
        ("Bundles", ["Errors", "Values", "Database"]),
        ("Transfer", ["Errors", "Query", "Container", "Database", "Assets"]),
        ("Members", ["Errors", "Values", "Keys", "Database"]),
        ("Care", ["Errors", "Values", "Database"]),
        ("Inspection", ["Errors", "Values", "Records", "Database", "Members", "Care"]),
      ]),
    FloorPlan(
      target: "SeaCommands",
      floors: [
        ("Text", []),
        ("Parsing", ["Text"]),
        ("Render", ["Text", "Parsing"]),
        ("Errors", ["Text", "Parsing", "Render"]),
        ("Session", ["Text", "Parsing", "Render", "Errors"]),
        ("Documents", ["Text", "Render", "Errors", "Session"]),
        ("Events", ["Text", "Render", "Session"]),
        ("Hooks", ["Text", "Render", "Errors", "Session", "Events"]),
        ("Programs", ["Render", "Errors", "Session", "Documents"]),
        ("Writing", ["Text", "Render", "Session", "Hooks", "Programs"]),
        ("Records", ["Text", "Parsing", "Render", "Errors", "Session", "Documents", "Writing"]),
        (
          "Conflicts",
          [
            "Text", "Parsing", "Render", "Errors", "Session", "Documents", "Events", "Hooks", "Programs", "Writing",
            "Records",
          ]
        ),
        ("History", ["Text", "Parsing", "Render", "Session", "Events", "Writing", "Records"]),
        ("Feed", ["Text", "Parsing", "Render", "Errors", "Session", "Events", "Hooks", "Writing", "Records"]),
        ("Filters", ["Text", "Parsing", "Errors", "Session", "Documents"]),
        ("Sync", ["Text", "Parsing", "Render", "Errors", "Session", "Events", "Hooks", "Writing"]),
        ("Security", ["Text", "Parsing", "Render", "Errors", "Session", "Writing"]),
        ("Plumbing", ["Text", "Parsing", "Render", "Errors", "Session", "Hooks", "Writing", "Records", "Security"]),
        (
          "Transfer",
          [
            "Text", "Parsing", "Render", "Errors", "Session", "Documents", "Hooks", "Records", "Sync",
            "Plumbing",
          ]
        ),
        ("Assets", ["Text", "Parsing", "Render", "Errors", "Session", "Writing", "Transfer"]),
        (
          "Setup",
          [
            "Text", "Parsing", "Render", "Errors", "Session", "Hooks", "Sync", "Security", "Transfer",
          ]
        ),
        ("Care", ["Text", "Parsing", "Render", "Errors", "Session", "Hooks", "Writing", "Transfer", "Assets"]),
        (
          "Inspect",
          ["Text", "Parsing", "Render", "Errors", "Session", "History", "Plumbing", "Transfer", "Setup"]
        ),
        (
          "Help",
          [
            "Text", "Parsing", "Render", "Errors", "Session", "Records", "Conflicts", "History", "Feed", "Filters",
            "Sync", "Security", "Plumbing", "Transfer", "Assets", "Setup", "Care", "Inspect",
          ]
        ),
        (".", ["Parsing", "Render", "Errors", "Session", "Hooks", "Help"]),
      ]),
  ]
}
