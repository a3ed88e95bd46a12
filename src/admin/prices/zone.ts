/** The time zone in which a shop speaks of its prices: the one that was chosen, else the browser's. */

const kept = 'catalogue.zone'

export function currentZone(): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return localStorage.getItem(kept) ?? own
}

export function chooseZone(zone: string): void {
  localStorage.setItem(kept, zone)
}

/** Every zone that the browser knows, the two that one is most likely to mean first. */
export function zones(): string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([currentZone(), own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** A moment as people of a language write it, by the clocks of the chosen zone. */
export function momentText(instant: string | Date, language: string): string {
  return new Date(instant).toLocaleString(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: currentZone(),
  })
}

/** `Europe/Paris (GMT+1)` */
export function zoneText(zone: string, at: Date = new Date()): string {
  const short = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'shortOffset' })
  return `${zone} (${short.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone})`
}
