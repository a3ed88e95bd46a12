/** Counts over all histories of this process, which show that the mishaps happened. */
export const tally = {
  /** Where workers died, and how often. */
  deaths: new Map<string, number>(),
  events: 0,
  deliveries: 0,
  requests: 0,
  accepted: 0,
  repeated: 0,
  restores: 0,
  lostTags: 0,
  prices: 0,
  changes: 0,
  lists: 0,
  files: 0,
  lines: 0,
  cancelled: 0,

  died(point: string): void {
    tally.deaths.set(point, (tally.deaths.get(point) ?? 0) + 1)
  },

  text(): string {
    const { events, deliveries, requests, accepted, repeated, restores, lostTags, prices, changes, lists } =
      tally
    const { files, lines, cancelled } = tally
    return [
      `${events} events, ${deliveries} deliveries, ${requests} requests, ${accepted} accepted, ${repeated} of them again, ${restores} restores, ${lostTags} tags of lost versions`,
      `${prices} prices of the index, ${changes} changes of prices and ${lists} lists by price compared`,
      `${files} files, ${cancelled} of them cancelled, with ${lines} performed lines`,
      ...[...tally.deaths].sort().map(([point, times]) => `died at ${point}: ${times}`),
    ].join('\n')
  },
}
