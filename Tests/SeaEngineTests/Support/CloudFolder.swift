import SeaCore
import SeaSystem
import SeaTestSupport

/// A simulated cloud service that syncs a folder between machines as real ones do: file by file, late and in any order.
/// Of two conflicting files, it renames one.
final class CloudFolder {
  private var files: [String: (version: Int, bytes: [UInt8]?)] = [:]
  private var versions = 0
  private let scratch: ScratchFolder
  /// Whether clients use placeholders for files that they have not downloaded or have evicted.
  private let hasPlaceholders: Bool

  init(_ scratch: ScratchFolder, placeholders: Bool = false) {
    self.scratch = scratch
    hasPlaceholders = placeholders
  }

  /// One machine's client and its copy of the folder.
  final class Client {
    let name: String
    /// The machine's name in conflict copies. A copied machine has the same name.
    let host: String
    /// The last exchanged version of each path and its digest.
    fileprivate var known: [String: (version: Int, digest: Digest?)] = [:]
    fileprivate var halves: Set<String> = []
    /// The files that a placeholder represents, including a placeholder of their folder.
    fileprivate var promised: Set<String> = []
    fileprivate var promisedFolders: Set<String> = []

    init(_ name: String, host: String? = nil) {
      self.name = name
      self.host = host ?? name
    }

    /// The client of a machine that was copied with all its state.
    init(copy other: Client) {
      (name, host, known) = (other.name, other.host, other.known)
      (halves, promised, promisedFolders) = (other.halves, other.promised, other.promisedFolders)
    }
  }

  private func path(_ client: Client, _ file: String) -> String { client.name + "/" + file }

  func files(of client: Client) throws -> [String] {
    guard try Path.exists(scratch.path(client.name)) else { return [] }
    let standIns = Set(client.promised.union(client.promisedFolders).map(CloudFolder.placeholder))
    return try scratch.files(client.name).map { String($0.dropFirst(client.name.count + 1)) }
      .filter { !$0.contains(".sea-tmp-") && !standIns.contains($0) }
  }

  /// Returns the placeholder name for a file; different clients use different forms.
  private static func placeholder(_ file: String) -> String {
    let name = Path.name(file)
    let folder = file.dropLast(name.utf8.count)
    let forms = [".\(name).icloud", "\(name).nextcloud", "~syncthing~\(name).tmp", ".\(name).aB3dE6"]
    return folder + forms[file.utf8.reduce(0) { $0 &+ Int($1) } % forms.count]
  }

  private func promise(_ client: Client, _ file: String) throws {
    try put(client, file, nil)
    try scratch.write(path(client, CloudFolder.placeholder(file)), [1, 2, 3])
    client.promised.insert(file)
  }

  /// Evicts a whole folder if the cloud has all of its files.
  private func promise(_ client: Client, folder: String) throws {
    let all = try files(of: client).filter { $0.hasPrefix(folder + "/") }
    guard !all.isEmpty, all.allSatisfy({ isCarried(client, $0) }) else { return }
    for file in all { try put(client, file, nil) }
    try ScratchFolder.removeAll(scratch.path(path(client, folder)))
    try scratch.write(path(client, CloudFolder.placeholder(folder)), [1, 2, 3])
    client.promised.formUnion(all)
    client.promisedFolders.insert(folder)
  }

  /// Whether the cloud has the current content of a file.
  private func isCarried(_ client: Client, _ file: String) -> Bool {
    guard let known = client.known[file], files[file]?.version == known.version, !client.halves.contains(file) else {
      return false
    }
    return known.digest == local(client, file).map { SHA256.hash($0) }
  }

  private func local(_ client: Client, _ file: String) -> [UInt8]? { try? scratch.bytes(path(client, file)) }

  private func put(_ client: Client, _ file: String, _ bytes: [UInt8]?) throws {
    try? ScratchFolder.removeAll(scratch.path(path(client, file)))
    if client.promised.remove(file) != nil {
      try? ScratchFolder.removeAll(scratch.path(path(client, CloudFolder.placeholder(file))))
      for folder in client.promisedFolders where !client.promised.contains(where: { $0.hasPrefix(folder + "/") }) {
        client.promisedFolders.remove(folder)
        try? ScratchFolder.removeAll(scratch.path(path(client, CloudFolder.placeholder(folder))))
      }
    }
    if let bytes { try scratch.write(self.path(client, file), bytes) }
  }

  private static let conflictNames: [@Sendable (String, String) -> String] = [
    { name, who in "\(name) (\(who)'s conflicted copy 2026-11-22)" },
    { name, _ in name + ".sync-conflict-20261122-ABC" },
    { name, who in "\(name)-\(who)" }, { name, _ in name + " 2" },
  ]

  /// Uploads and downloads the changes, all or a part of them.
  /// - Returns: the number of transferred files.
  @discardableResult func run(_ client: Client, part: Double, _ random: inout SeededRandom) throws -> Int {
    var moved = 0
    if hasPlaceholders, part < 1, Int.random(in: 0..<10, using: &random) == 0 {
      var folders: Set<String> = []
      for file in try files(of: client) {
        var folder = Path.parent(file)
        while folder.contains("/") {
          folders.insert(folder)
          folder = Path.parent(folder)
        }
      }
      if let folder = folders.sorted().randomElement(using: &random) { try promise(client, folder: folder) }
    }
    func isMeant() -> Bool { part >= 1 || Double.random(in: 0..<1, using: &random) < part }
    let here = try files(of: client)
    var all = Set(here).union(client.known.keys).union(files.keys).sorted()
    all.shuffle(using: &random)
    for file in all where isMeant() {
      let bytes = local(client, file)
      let digest = bytes.map { SHA256.hash($0) }
      let last = client.known[file]
      let there = files[file]
      let isPromised = client.promised.contains(file)
      let isMine = digest != last?.digest && !client.halves.contains(file) && !(isPromised && digest == nil)
      let isTheirs = (there?.version ?? 0) != (last?.version ?? 0)
      if hasPlaceholders, part < 1, !isMine, !isTheirs, !isPromised, digest != nil,
        Int.random(in: 0..<20, using: &random) == 0
      {
        // The client evicts the file to free space; a reader has to wait for it.
        try promise(client, file)
        continue
      }
      guard isMine || isTheirs || isPromised else { continue }
      moved += 1
      switch (isMine, isTheirs) {
      case (false, false): try put(client, file, there?.bytes)
      case (true, false):
        versions += 1
        files[file] = (versions, bytes)
        client.known[file] = (versions, digest)
      case (_, true):
        if isMine, let bytes, bytes != there?.bytes {
          // If both sides changed, one file is renamed.
          let name = CloudFolder.conflictNames.randomElement(using: &random)!(file, client.host)
          if there?.bytes != nil { try put(client, name, bytes) } else if !isTheirs { continue }
          if there?.bytes == nil {
            // A deletion loses against a change.
            versions += 1
            files[file] = (versions, bytes)
            client.known[file] = (versions, digest)
            continue
          }
        }
        if part < 1, let whole = there?.bytes, !client.halves.contains(file), Int.random(in: 0..<4, using: &random) == 0
        {
          if hasPlaceholders, !isMine, !isPromised, Bool.random(using: &random) {
            try promise(client, file)
            continue
          }
          // The file arrives in two pieces.
          try put(client, file, Array(whole.prefix(Int.random(in: 0...whole.count, using: &random))))
          client.halves.insert(file)
          continue
        }
        client.halves.remove(file)
        try put(client, file, there?.bytes)
        client.known[file] = (there?.version ?? 0, there?.bytes.map { SHA256.hash($0) })
      }
    }
    return moved
  }

  /// Damages a random file of a machine's folder; its client then distributes the damage.
  func harm(_ client: Client, _ random: inout SeededRandom) throws -> String? {
    guard let file = try files(of: client).randomElement(using: &random),
      let bytes = local(client, file)
    else { return nil }
    switch Int.random(in: 0..<(hasPlaceholders ? 7 : 6), using: &random) {
    case 0: try put(client, file, nil)
    case 1: try put(client, file, [])
    case 2: try put(client, file, Array(bytes.dropLast(Int.random(in: 0...bytes.count, using: &random))))
    // Changing info.json could turn it into another container.
    case 3 where file != "info.json":
      var other = bytes
      if !other.isEmpty { other[Int.random(in: 0..<other.count, using: &random)] ^= 1 }
      try put(client, file, other)
    case 4: try put(client, file + " 2", bytes)
    case 6:
      // A placeholder that is never resolved.
      try put(client, file, nil)
      try put(client, CloudFolder.placeholder(file), [])
    default:
      try put(client, file, nil)
      try put(client, file + " (1)", bytes)
    }
    return file
  }
}
