import { existsSync } from 'node:fs'

/** The Chromium of this machine, if it has one; `CHROMIUM` names another. */
export const executablePath = [
  process.env.CHROMIUM,
  // Without the windows of a browser it takes a third less CPU.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))
