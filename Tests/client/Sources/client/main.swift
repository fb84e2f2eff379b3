import SeaKit

struct Author: SeaRecord {
  static let recordType = "author"
  var id = RecordID.new()
  var name: String
}

struct Book: SeaRecord {
  static let recordType = "book"
  var id = RecordID.new()
  var title: String
  var pages: Int
  var author: Reference<Author>?
}

let folder = CommandLine.arguments[1]
let database = try await Database.open(folder, creating: "org.example.books", name: "client")
let list = LiveList(database, Book.all.order(by: "title"))

try await database.write("books") { transaction in
  let ann = Author(name: "Ann")
  try transaction.save(ann)
  try transaction.save(Book(title: "Tides", pages: 310, author: Reference(ann)))
  try transaction.save(Book(title: "Currents", pages: 120))
}
print("long:", try await database.fetch(Book.all.where("pages > \(200)")).map(\.title).joined(separator: ", "))

while list.elements.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
print("list:", list.elements.map(\.title).joined(separator: ", "))

try await database.addContainer("shelf", at: folder + "-shelf", creating: true)
let report = try await database.sync()
print("handed over:", report.outcomes[0].pushed, "blocks, complete:", report.isComplete)
let other = try await Database.clone(folder + "-shelf", to: folder + "-copy", name: "copy")
print("there:", try await other.count(Book.all), "books")
await other.close()
await database.close()
