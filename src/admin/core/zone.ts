/** The tenant's time zone, in which the admin shows times, whatever the zone of the browser. */
import { catalogue } from './settings.ts'

export function shopZone(): string {
  return catalogue().timeZone
}

/** Every zone that the browser knows, the shop's and the browser's own first. */
export function zones(): string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([shopZone(), own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** A moment as people of a language write it, by the clocks of the shop's zone. */
export function momentText(instant: string | Date, language: string): string {
  return new Date(instant).toLocaleString(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: shopZone(),
  })
}

/** `Europe/Paris (GMT+1)` */
export function zoneText(zone: string = shopZone(), at: Date = new Date()): string {
  const short = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'shortOffset' })
  return `${zone} (${short.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone})`
}
