import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Names that are going to be written, and are much like those that there are: sea-query(7), Surprises.
@Suite struct SpellingTests {
  private func database(_ records: [String]) throws -> Database {
    let database = try QueryTests().database()
    try QueryTests().put(database, records)
    return database
  }

  private func look(_ spelling: Spelling, _ documents: String...) throws -> [QueryNotice] {
    let batch = WriteBatch(label: "test")
    for document in documents {
      try batch.add(document)
      try spelling.lookAtLast(of: batch)
    }
    return spelling.take()
  }

  @Test func documentsAreToldOfOnce() throws {
    let database = try database([#"{"_id":"a","_type":"t","name":1,"at":{"city":"x","geo":{"lat":1}}}"#])
    defer { database.close() }
    let spelling = database.queries.spelling()
    #expect(try look(spelling, #"{"_id":"a","_type":"t","name":2,"at":{"city":"y","geo":{"lat":2}}}"#) == [])
    #expect(
      try look(
        spelling, #"{"_type":"t","nmae":1,"at":{"ctiy":"x","geo":{"lta":1}}}"#, #"{"_type":"t","nmae":1,"color":1}"#)
        == [
          .newProperty("nmae", type: "t", similar: "name"), .newProperty("at.ctiy", type: "t", similar: "at.city"),
          .newProperty("at.geo.lta", type: "t", similar: "at.geo.lat"),
        ])
    // What is to be merged is looked at as far as it is a value, and another type has other names.
    #expect(
      try look(
        spelling, #"{"_id":"a","naem":{"$counter":1},"at":{"tags":{"$set":[1]}}}"#, #"{"_type":"u","nmae":1}"#) == [
          .newProperty("naem", type: "t", similar: "name")
        ])
  }

  @Test func pathsGoAsFarAsDictionariesDo() throws {
    let database = try database([#"{"_id":"a","_type":"t","at":{"city":"x"},"list":["x"],"text":"x"}"#])
    defer { database.close() }
    func look(_ path: String, without gone: [String] = []) throws -> [QueryNotice] {
      let spelling = database.queries.spelling()
      try spelling.look(at: [PropertyPath(path)], of: "t", without: gone)
      return spelling.take()
    }
    #expect(try look("at.ctiy") == [.newProperty("at.ctiy", type: "t", similar: "at.city")])
    #expect(try look("at.ctiy.x") == [.newProperty("at.ctiy", type: "t", similar: "at.city")])
    #expect(try look("/lits/0") == [.newProperty("lits", type: "t", similar: "list")])
    #expect(try look("lits", without: ["list"]) == [])
    for path in ["at.city", "at.city2", "list.0", "text.tex", "new.city"] { #expect(try look(path) == [], "\(path)") }
  }

  @Test func whatIsNotLookedAtIsNotClaimed() throws {
    var records = (1...1001).map { #"{"_id":"r\#($0)","_type":"t","at":{"city":"x"}}"# }
    records += (1...60).map { #"{"_id":"m\#($0)","_type":"map","of":{"name of \#($0)":1}}"# }
    let database = try database(records)
    defer { database.close() }
    let spelling = database.queries.spelling()
    #expect(
      try look(spelling, #"{"_type":"t","at":{"ctiy":1}}"#)
        == [.unseen("at.ctiy", similar: "at.city", looked: 1000)])
    #expect(try look(spelling, #"{"_type":"map","of":{"nmae of 7":1}}"#) == [])
    // A program that writes a name wrong does so from the first document on.
    for _ in 0..<1000 { #expect(try look(spelling, #"{"_type":"map","off":1}"#).count <= 1) }
    #expect(try look(spelling, #"{"_type":"map","fo":1,"offf":1}"#) == [])
  }
}
