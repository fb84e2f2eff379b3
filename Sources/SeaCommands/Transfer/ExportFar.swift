import SeaEngine
import SeaSystem
import SeaWords

import enum SeaContainer.BundleError

extension ExportRun {
  /// Into an exchange folder elsewhere.
  func into(elsewhere location: String) throws -> ExitStatus { try retried { try intoOnce(elsewhere: location) } }

  private func intoOnce(elsewhere location: String) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let place = try FarExchange.at(location, for: database, session)
    let survey = try place.survey(for: database.bundles)
    try retention?.check(survey, of: location)
    warn(of: survey)
    let plan = try plan(in: survey)
    func leaveNote() throws {
      try place.leaveHeads(of: database.bundles)
      try database.bundles.exchanges.note(location, isWritten: true)
    }
    guard plan.isNews else {
      if !isDry { try leaveNote() }
      try session.terminal.remark("nothing new for \(location); nothing was written")
      let status = nothingNew()
      if isDry {
        try retention?.preview(survey, adding: nil)
      } else {
        try retention?.run(elsewhere: location, survey, adding: nil)
      }
      return status
    }
    let name = try name(for: plan, taken: place.folder.taken())
    let shown = Path.join(location, name)
    try sayBase(plan, survey)
    if isDry {
      let status = try wouldWrite(plan, shown)
      try retention?.preview(survey, adding: plan)
      return status
    }
    var exported = try write(plan, Path.join(place.folder.path, name), as: shown, replace: false, verifies: false)
    try place.give(exported.files)
    if arguments.has(ExportCommand.verify) {
      guard try place.verify(exported) else { throw TransferError.bundle(name: name, .wrongDigest(name)) }
      exported.isVerified = true
    }
    try leaveNote()
    try tell(plan, exported, shown)
    try retention?.run(elsewhere: location, survey, adding: plan)
    return .success
  }
}
