import { declareProblems } from '../problem.ts'

/** What happens when a client asks too much in too short a time. */
export const rateLimitProblems = declareProblems('rate_limit', {
  exceeded: {
    code: 'RATE-1001',
    status: 429,
    description:
      'The client has used up the requests of the current window, which RateLimit-Policy describes. Wait for the time in Retry-After.',
    message: {
      'en-US': 'Too many requests. Please try again in {seconds} s.',
      'fr-FR': 'Trop de demandes. Veuillez réessayer dans {seconds} s.',
      'de-DE': 'Zu viele Anfragen. Bitte versuchen Sie es in {seconds} s noch einmal.',
      'es-ES': 'Demasiadas solicitudes. Inténtelo de nuevo dentro de {seconds} s.',
    },
  },
})
