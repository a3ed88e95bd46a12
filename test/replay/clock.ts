/** The clock of the service during a replay. It stops until the replay moves it. */

const SystemDate = globalThis.Date

const begin = SystemDate.parse('2027-02-01T12:00:00.000Z')
let current = begin

class ReplayDate extends SystemDate {
  constructor(...values: readonly unknown[]) {
    super(...((values.length === 0 ? [current] : values) as [number]))
  }

  static override now(): number {
    return current
  }
}

/** Replaces the system's clock in this process. */
export function stopClock(): void {
  globalThis.Date = ReplayDate as DateConstructor
}

/** Sets the clock to a day after the begin of the replay: the order of the topics does not matter. */
export function setDay(day: number): void {
  current = begin + day * 86_400_000
}

/** Moves the replay's clock. */
export function passTime(milliseconds: number): void {
  current += milliseconds
}

/** Lets the time of one request pass. */
export const passStep = () => passTime(1000)
