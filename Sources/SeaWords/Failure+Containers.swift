import SeaEngine

extension Failure {
  package static func stillArriving(_ path: String, _ what: ArrivingPart) -> Failure {
    let text =
      switch what {
      case .info: "'\(path)' is still arriving: what it says of itself is not whole"
      case .blocks: "'\(path)' may still be arriving: the first blocks are not there yet"
      case .keys: "'\(path)' is still arriving: no slot for this passphrase is there yet, or it is wrong"
      }
    let hint = "try again when the cloud client has brought everything"
    let more =
      what == .blocks
      ? "; or nobody has synced into it yet: sea sync, where it was made; if nothing more comes, clone from another container"
      : ""
    return Failure(.partial, text, hint: hint + more, ["path": path])
  }

  package static func unproven(_ place: String, _ isBundle: Bool) -> Failure {
    let hint =
      isBundle
      ? "a bundle with everything is lacking; who has the database writes one with: sea export --full --to=DIR"
      : "if it is still arriving, wait; else clone from another container"
    return Failure(
      .corrupt, "'\(place)': nothing here proves what it is: the founder's first block is not there", hint: hint,
      ["path": place])
  }

  package static func namelessContainer(_ path: String) -> Failure {
    Failure(
      .incompatible,
      "'\(path)' has transactions and no info.json: nothing says which container it is; nothing was written",
      hint: "it is written again by a sync of an instance that knows the container: sea sync", ["path": path])
  }

  package static func mismatch(
    _ name: String, _ field: KitError.ContainerField, _ text: String, _ have: String, _ want: String
  ) -> Failure {
    let other = "two databases do not mix: one more instance of that other one is made with: sea clone LOCATION FOLDER"
    return Failure(.incompatible, text, hint: field == .database ? other : nil, ["have": have, "want": want])
  }

  package static func notAllHere(_ name: String) -> Failure {
    Failure(
      .partial, "not all is here that may say who belongs to the database; nothing was taken out of \(name)",
      hint: "see: sea sync; sea verify", ["container": name])
  }
}
