import EventLog

/// Drafts of notifications made beforehand, so that making one takes no time from the log that is measured: for each
/// call one is given out again with another id and another purchase.
struct DraftPool {
  private struct Prepared {
    var draft: EventDraft
    /// Where the notification's UUID stands in the data.
    var uuid: Int
    /// Where the purchase's transaction id stands.
    var transactionID: Int
  }

  private var prepared: [Prepared]
  private var next = 0

  init(_ notices: Notices, type: String, signedAt: Int64, random: inout SplitMix) {
    prepared = (0..<32).map { number in
      let draft = notices.draft(type, purchase: number, signedAt: signedAt, occurredAt: signedAt, random: &random)
      func place(_ text: some StringProtocol) -> Int { draft.data.firstRange(of: Array(text.utf8))!.lowerBound }
      return Prepared(
        draft: draft, uuid: place(draft.id.text.dropFirst("notification/".count)),
        transactionID: place(draft.stream.text.dropFirst("purchase/Production/".count)))
    }
  }

  mutating func draft(purchase: Int, occurredAt: Int64, random: inout SplitMix) -> EventDraft {
    let template = prepared[next]
    next = (next + 1) % prepared.count
    var draft = template.draft
    let uuid = Notices.uuid(&random)
    let transactionID = Notices.transactionID(of: purchase)
    draft.data.replaceSubrange(template.uuid..<template.uuid + uuid.utf8.count, with: uuid.utf8)
    draft.data.replaceSubrange(
      template.transactionID..<template.transactionID + transactionID.utf8.count, with: transactionID.utf8)
    draft.id = EventID("notification/\(uuid)")
    draft.stream = StreamName("purchase/Production/\(transactionID)")
    draft.occurredAt = occurredAt
    return draft
  }
}
