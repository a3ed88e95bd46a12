import { existsSync } from 'node:fs'

/** The Chromium of this machine, if it has one; `CHROMIUM` names another. */
export const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))
