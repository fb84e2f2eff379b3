import SeaKit

extension Failure {
  static func describing(_ error: TransferError) -> Failure {
    switch error {
    case .bundle(let name, let error): return describing(error, name)
    case .mismatch(let name, let field, let have, let want):
      let what = field == .contentType ? "holds \(have), not \(want)" : "is of database \(have), not \(want)"
      return Failure(
        "incompatible", .incompatible, "\(name) \(what)", details: [("file", name), ("have", have), ("want", want)])
    case .baseMissing(let name, let missing): return baseMissing(name, missing)
    case .problem(let name, let problem):
      var inner = problem
      inner.place = name
      var failure = describing(inner)
      failure.hint = "nothing of it was taken in; see: sea verify \(name)"
      failure.details.append(("file", name))
      return failure
    case .badAsset(let name, let place):
      return Failure(
        "bad-asset", .corrupt, "\(name): asset \(place) is not the content that its record names",
        hint: "nothing of it was taken in; without assets: sea import --no-assets",
        details: [("file", name), ("asset", place)])
    case .noBundles(let path):
      return Failure(
        "unreachable", .unreachable, "there is no bundle in '\(path)'",
        hint: "a container is attached with: sea add-container", details: [("path", path)])
    case .severalDatabases(let path):
      return Failure(
        "ambiguous", .notFound, "there are bundles of several databases in '\(path)'", hint: "name one of the files",
        details: [("path", path)])
    case .badStart(let text):
      return Failure(
        "usage", .usage, "'\(text)' is neither a file nor a time",
        hint: "write a bundle, a file that 'sea heads' has printed, or a time such as 2026-08-22 or 3d")
    }
  }

  static var bundleAtTerminal: Failure {
    Failure("usage", .usage, "a bundle is not for a terminal", hint: "write it into a file, with: -o FILE")
  }

  private static func baseMissing(_ name: String, _ missing: [MissingBase]) -> Failure {
    let first = missing.first
    let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
    var failure = Failure(
      "base-missing", .partial, "\(name) starts behind blocks that are not here: \(first.map(needed) ?? "")\(more)",
      hint: "import the bundles before it first, or have it written with: sea export --full",
      details: [("file", name)])
    if let first {
      failure.details.append(("instance", String(first.chain.prefix(36))))
      if first.chain.utf8.count > 36 { failure.details.append(("branch", first.chain)) }
      failure.numbers = [("index", Int(first.index))]
    }
    if missing.count > 1 { failure.lines = missing.prefix(20).map(needed) }
    return failure
  }

  private static func needed(_ base: MissingBase) -> String {
    let name = base.name.isEmpty ? String(base.chain.prefix(8)) + base.chain.dropFirst(36) : base.name
    guard let have = base.have else { return "\(name)/\(base.index) (here: nothing of it)" }
    if have >= base.index { return "\(name)/\(base.index) (here: another block)" }
    return "\(name)/\(base.index) (here: up to \(have))"
  }

  /// What is wrong with a bundle.
  static func describing(_ error: BundleError, _ name: String) -> Failure {
    let another = "take another copy of it, or have it written anew with: sea export --verify"
    func corrupt(_ text: String, slug: String = "corrupt") -> Failure {
      Failure(slug, .corrupt, "\(name) \(text)", hint: another, details: [("file", name)])
    }
    switch error {
    case .notABundle:
      return Failure("incompatible", .incompatible, "\(name) is not a bundle", details: [("file", name)])
    case .newer(let version):
      return Failure(
        "incompatible", .incompatible, "\(name) is a bundle of format \(version), which this sea does not know",
        details: [("file", name)])
    case .truncated(let member, let have, let want):
      let place = want.map { "\(have) of \($0) bytes of \(member)" } ?? member
      return corrupt("ends too early: in \(place)", slug: "truncated")
    case .trailing: return corrupt("goes on behind its end")
    case .badHeader(let member): return corrupt("is damaged before \(member)")
    case .badManifest(let line): return corrupt("has a manifest that is wrong in line \(line)")
    case .unexpected(let member): return corrupt("has \(member), which its manifest does not name")
    case .outOfOrder(let member): return corrupt("has \(member) in the wrong place")
    case .missing(let member): return corrupt("lacks \(member), which its manifest names")
    case .wrongSize(let member): return corrupt("has another size of \(member) than its manifest says")
    case .wrongDigest(let member): return corrupt("is damaged in \(member)")
    case .missingVolume(let volume):
      return Failure(
        "missing-volume", .unreachable, "\(name): its part \(volume) is not there",
        details: [("file", name), ("volume", volume)])
    case .tooLarge: return corrupt("is larger in some part than a bundle can be")
    case .compression(.damaged): return corrupt("is damaged: it does not decompress")
    case .compression(.feature): return corrupt("is compressed in a way that bundles are not")
    case .differsFromWritten:
      return Failure(
        "corrupt", .corrupt, "\(name) was not on the medium what had been written; it was removed",
        hint: "the medium may be failing: use another one", details: [("file", name)])
    case .noSpace(let needed, let free, let path):
      return Failure(
        "no-space", .system, "\(name) needs \(SizeText.of(needed)) at '\(path)', and \(SizeText.of(free)) are free",
        hint: "nothing was written; free some space, or leave assets out with: --no-assets",
        details: [("file", name), ("path", path)])
    case .changedWhileWriting(let member):
      return Failure(
        "corrupt", .corrupt, "\(member) is not what it was when it came here; \(name) was not written",
        hint: "see: sea verify", details: [("file", name)])
    case .system(let error):
      guard error.isMissing, error.call == "open" else { return describing(error) }
      return Failure(
        "unreachable", .unreachable, "there is nothing at '\(error.path)'", details: [("path", error.path)])
    }
  }
}
