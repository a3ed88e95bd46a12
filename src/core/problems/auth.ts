import { declareProblems } from '../problem.ts'

/**
 * Authentication and authorization errors. Every rejected token gets the same `invalid_token`, so that attackers learn
 * nothing from it.
 */
export const authProblems = declareProblems('auth', {
  token_required: {
    code: 'AUTH-1001',
    status: 401,
    description:
      'The request carries no bearer token: it has no Authorization header, or one of another scheme. Send an access token as "Authorization: Bearer <token>"; a token in the query string is not read.',
    message: {
      'en-US': 'Please sign in to continue: a bearer token is required.',
      'fr-FR': 'Veuillez vous connecter pour continuer : un jeton d’accès (Bearer) est requis.',
      'de-DE': 'Bitte melden Sie sich an, um fortzufahren: Ein Zugriffstoken (Bearer) ist erforderlich.',
      'es-ES': 'Inicie sesión para continuar: se requiere un token de acceso (Bearer).',
    },
  },
  invalid_token: {
    code: 'AUTH-1002',
    status: 401,
    description:
      'The access token is malformed, expired, revoked, or not issued for this host. Request a new token from the issuer of this tenant.',
    message: {
      'en-US': 'Your session is not valid or has ended. Please sign in again.',
      'fr-FR': 'Votre session n’est pas valide ou a pris fin. Veuillez vous reconnecter.',
      'de-DE': 'Ihre Sitzung ist ungültig oder abgelaufen. Bitte melden Sie sich erneut an.',
      'es-ES': 'Su sesión no es válida o ha finalizado. Inicie sesión de nuevo.',
    },
  },
  insufficient_scope: {
    code: 'AUTH-1003',
    status: 403,
    description:
      'The access token lacks a scope that this operation needs. Request a token with the scope named in the WWW-Authenticate header.',
    message: {
      'en-US': 'This application is not allowed to do this. Access it lacks: {scope}.',
      'fr-FR': 'Cette application n’est pas autorisée à effectuer cette action. Accès manquant : {scope}.',
      'de-DE': 'Diese Anwendung ist dazu nicht berechtigt. Fehlender Zugriff: {scope}.',
      'es-ES': 'Esta aplicación no está autorizada para realizar esta acción. Acceso que falta: {scope}.',
    },
  },
  permission_denied: {
    code: 'AUTH-1004',
    status: 403,
    description:
      'The access token acts for a person who lacks the identity permissions listed in missingPermissions. An administrator can grant them.',
    message: {
      'en-US': 'You do not have permission to do this. Please ask your administrator.',
      'fr-FR':
        'Vous n’avez pas l’autorisation d’effectuer cette action. Veuillez vous adresser à votre administrateur.',
      'de-DE': 'Sie haben dazu keine Berechtigung. Bitte wenden Sie sich an Ihre Administration.',
      'es-ES': 'No tiene permiso para realizar esta acción. Póngase en contacto con su administrador.',
    },
  },
  multiple_credentials: {
    code: 'AUTH-1005',
    status: 400,
    description:
      'The request carries an access token in the query string beside the Authorization header (RFC 6750 §2). Send it in the header alone.',
    message: {
      'en-US': 'The request was signed in twice. Please use a single way of signing in.',
      'fr-FR': 'La demande a été authentifiée deux fois. Veuillez n’utiliser qu’un seul mode de connexion.',
      'de-DE': 'Die Anfrage enthält zwei Anmeldungen. Bitte verwenden Sie nur eine Art der Anmeldung.',
      'es-ES': 'La solicitud se ha autenticado dos veces. Utilice una sola forma de iniciar sesión.',
    },
  },
  issuer_unavailable: {
    code: 'AUTH-1006',
    status: 503,
    description:
      'The keys of this tenant’s token issuer could not be fetched and none are cached, so no token can be verified. Retry after the time in Retry-After.',
    message: {
      'en-US': 'Signing in cannot be checked right now. Please try again shortly.',
      'fr-FR':
        'La connexion ne peut pas être vérifiée pour le moment. Veuillez réessayer dans quelques instants.',
      'de-DE':
        'Die Anmeldung kann derzeit nicht geprüft werden. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'En este momento no se puede comprobar el inicio de sesión. Inténtelo de nuevo en breve.',
    },
  },
})
