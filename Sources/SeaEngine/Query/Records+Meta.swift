import SeaCore
import SeaStore

extension Records {
  package func meta(of view: RecordView, in found: Found) throws -> [(name: String, value: Value)] {
    var meta: [(name: String, value: Value)] = []
    if let parent = view.leaf.parentRevision { meta.append(("_revParent", .string(parent.description))) }
    guard let block = try store.blocks.block(sequence: view.leaf.sequence) else { return meta }
    let names = AuthorNames(self)
    let time = Value.date(Instant.clamped(block.time))
    meta.append(("_instance", .string(block.instance.description)))
    meta.append(("_lamport", .integer(Int64(block.lamport))))
    meta.append(("_time", time))
    let known = try found.past?.revisions ?? store.records.revisions(of: found.row)
    if let created = try store.records.firstBlock(of: known.filter { $0.isAttached && $0.parent == nil }) {
      meta.append(("_created", .date(Instant.clamped(created.time))))
      meta.append(("_created_by", .string(try names.name(created.instance))))
    }
    meta.append(("_modified", time))
    meta.append(("_modified_by", .string(try names.name(block.instance))))
    meta.append(("_conflict", .integer(found.row.conflict == .none ? 0 : 1)))
    meta.append(("_block", .string("\(block.instance)/\(block.index)")))
    if let label = block.label { meta.append(("_labels", .array([.string(label)]))) }
    return meta
  }
}
