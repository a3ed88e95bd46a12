/** Times as the clocks of a zone show them. Pure. */

/** An instant as inputs of date and time have it, `2026-11-20T00:00`, by the clocks of a zone. */
export function localTime(instant: Date, zone: string): string {
  return new Date(instant.getTime() + offsetAt(instant, zone)).toISOString().slice(0, 16)
}

/**
 * The instant at which the clocks of a zone show a time; null if the text is not a time. Of an hour that is passed twice in autumn the first,
 * of one that is left out in spring what the clocks show then.
 */
export function instantIn(local: string, zone: string): Date | null {
  const asUtc = new Date(`${local}Z`)
  if (local === '' || Number.isNaN(asUtc.getTime())) return null
  const day = 86_400_000
  const [before, after] = [-day, day].map((shift) => offsetAt(new Date(asUtc.getTime() + shift), zone))
  const found = [before, after]
    .map((offset = 0) => new Date(asUtc.getTime() - offset))
    .find((each) => localTime(each, zone) === local.slice(0, 16))
  return found ?? new Date(asUtc.getTime() - (before ?? 0))
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(instant: Date, zone: string): number {
  // Swedish times have the form of ISO 8601.
  const shown = instant.toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')
  return Date.parse(`${shown}Z`) - Math.floor(instant.getTime() / 1000) * 1000
}
