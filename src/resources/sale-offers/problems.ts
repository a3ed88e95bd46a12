import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on sale offers. */
export const saleOfferProblems = declareProblems('sale_offer', {
  not_found: {
    code: 'SOF-1001',
    status: 404,
    description: 'No sale offer of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The sale offer {id} does not exist.',
      'fr-FR': 'L’offre de vente {id} n’existe pas.',
      'de-DE': 'Das Verkaufsangebot {id} existiert nicht.',
      'es-ES': 'La oferta de venta {id} no existe.',
    },
  },
  archived: {
    code: 'SOF-1002',
    status: 409,
    description:
      'The sale offer is archived and takes no other write. Restore it first with a PATCH of its status.',
    message: {
      'en-US': 'This sale offer is archived. Please restore it before making changes.',
      'fr-FR': 'Cette offre de vente est archivée. Veuillez la restaurer avant de la modifier.',
      'de-DE':
        'Dieses Verkaufsangebot ist archiviert. Bitte stellen Sie es wieder her, bevor Sie Änderungen vornehmen.',
      'es-ES': 'Esta oferta de venta está archivada. Restáurela antes de modificarla.',
    },
  },
  limit: {
    code: 'SOF-1003',
    status: 422,
    description:
      'The variant already has as many sale offers as a variant can have. Archive some before adding others.',
    message: {
      'en-US': 'A variant cannot have any more sale offers. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal d’offres de vente par variante est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Verkaufsangebote einer Variante ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de ofertas de venta por variante: {maximum}.',
    },
  },
  compare_at_not_above: {
    code: 'SOF-1004',
    status: 422,
    description:
      'compareAtAmount is not above amount. Send a higher one, or null when there is no price to compare with.',
    message: {
      'en-US': 'The comparison price must be higher than the price.',
      'fr-FR': 'Le prix de comparaison doit être supérieur au prix.',
      'de-DE': 'Der Vergleichspreis muss höher sein als der Preis.',
      'es-ES': 'El precio de comparación debe ser superior al precio.',
    },
  },
  window_reversed: {
    code: 'SOF-1005',
    status: 422,
    description:
      'validUntil is not later than validFrom. Send a window whose end lies after its start, or null for an open end.',
    message: {
      'en-US': 'The end of the validity period must be later than its start.',
      'fr-FR': 'La fin de la période de validité doit être postérieure à son début.',
      'de-DE': 'Das Ende des Gültigkeitszeitraums muss nach seinem Beginn liegen.',
      'es-ES': 'El fin del período de validez debe ser posterior a su inicio.',
    },
  },
  external_id_taken: {
    code: 'SOF-1006',
    status: 409,
    description:
      'Another sale offer that is not archived has this externalId. Send another one, or write to that sale offer.',
    message: {
      'en-US': 'Another sale offer already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre offre de vente possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Ein anderes Verkaufsangebot hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra oferta de venta ya tiene el identificador externo «{externalId}».',
    },
  },
  variant_immutable: {
    code: 'SOF-1007',
    status: 422,
    description:
      'The variant of a sale offer is set at creation. Archive this offer and create one for the other variant.',
    message: {
      'en-US': 'The variant of this sale offer cannot be changed. Please create a new one instead.',
      'fr-FR':
        'La variante de cette offre de vente ne peut pas être modifiée. Veuillez plutôt en créer une nouvelle.',
      'de-DE':
        'Die Variante dieses Verkaufsangebots kann nicht geändert werden. Bitte legen Sie stattdessen ein neues an.',
      'es-ES': 'No se puede cambiar la variante de esta oferta de venta. Cree una nueva en su lugar.',
    },
  },
})
