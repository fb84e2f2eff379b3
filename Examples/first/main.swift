import SeaKit

struct Owner: SeaRecord {
  static let recordType = "owner"
  var id = RecordID.new()
  var name: String
}

struct Boat: SeaRecord {
  static let recordType = "boat"
  var id = RecordID.new()
  var name: String
  var tons: Double
  var voyages: Counter = 0
  var owner: Reference<Owner>?
}

let folder = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "boats"
let database = try await Database.open(folder, creating: "org.example.boats")

// Changes arrive here, whether this program, another program or another device makes them.
let changes = database.changes(since: try await database.position(), of: [Boat.self])
let watch = Task {
  for try await change in changes {
    guard let boat = try await database.fetch(Boat.self, id: change.id) else { continue }
    print(change.effect, boat.name)
    if change.effect == .updated { break }
  }
}

try await database.save(Boat(name: "Petrel", tons: 4.5, owner: Reference(Owner(name: "Ann"))))
try await database.save(Boat(name: "Fulmar", tons: 12))
try await database.write("first voyage") { transaction in
  guard var petrel = try transaction.first(Boat.all.where("name = \("Petrel")")) else { return }
  petrel.voyages += 1
  petrel.tons = 15
  try transaction.save(petrel)
}
try await watch.value

let heavy = try await database.fetch(Boat.all.where("tons > \(5)").order(by: "-tons"))
print("heavy:", heavy.map(\.name).joined(separator: ", "))

try await database.addContainer("shared", at: folder + "-shared", creating: true)
let report = try await database.sync()
print("handed over:", report.outcomes[0].pushed, "blocks")
