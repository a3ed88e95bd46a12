/** Counts what this isolate does after the messages for it are acknowledged. */
export function backgroundLimit<Work>(limit: {
  readonly count: number
  readonly bytes?: number
  readonly bytesOf?: (work: Work) => number
  /** Work that is older no longer counts: the platform has cancelled it. */
  readonly lifetimeMs: number
}) {
  const ends = new Map<Work, number>()
  return {
    /** Returns false, and counts none of these, if they exceed the limit. */
    add(added: Iterable<Work>, now: Date): boolean {
      const moment = now.getTime()
      for (const [work, end] of ends) if (end <= moment) ends.delete(work)
      const all = [...ends.keys(), ...added]
      const bytes = all.reduce((sum, work) => sum + (limit.bytesOf?.(work) ?? 0), 0)
      if (all.length > limit.count || bytes > (limit.bytes ?? 0)) return false
      for (const work of added) ends.set(work, moment + limit.lifetimeMs)
      return true
    },
    end(work: Work): void {
      ends.delete(work)
    },
  }
}
