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

try await database.write("first boats") { transaction in
  let ann = Owner(name: "Ann")
  try transaction.save(ann)
  try transaction.save(Boat(name: "Petrel", tons: 4.5, owner: Reference(ann)))
  try transaction.save(Boat(name: "Fulmar", tons: 12))
}

let heavy = try await database.fetch(Boat.all.where("tons > \(5)").order(by: "name"))
print("heavy:", heavy.map(\.name).joined(separator: ", "))

let list = LiveList(database, Boat.all.order(by: "-tons"))
if var petrel = try await database.first(Boat.all.where("name = \("Petrel")")) {
  petrel.voyages += 1
  petrel.tons = 15
  try await database.save(petrel)
}
while list.elements.first?.name != "Petrel" { try await Task.sleep(for: .milliseconds(10)) }
print("heaviest now:", list.elements[0].name, list.elements[0].voyages.value)

try await database.addContainer("shared", at: folder + "-shared", creating: true)
let report = try await database.sync()
print("handed over:", report.outcomes[0].pushed, "blocks")
