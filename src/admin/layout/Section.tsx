import ExpandMoreIcon from '@mui/icons-material/ExpandMore'
import { Accordion, AccordionDetails, AccordionSummary, Typography } from '@mui/material'
import type { ReactNode } from 'react'

/** A titled part of a page that can be folded away. */
export function Section({
  title,
  open = true,
  aside,
  children,
}: {
  title: string
  open?: boolean
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <Accordion
      defaultExpanded={open}
      variant="outlined"
      disableGutters
      sx={{ mb: 2, '&&': { borderRadius: 3 }, '&:before': { display: 'none' }, width: '100%' }}
    >
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>
        <Typography variant="h6" component="h2" sx={{ flex: 1 }}>
          {title}
        </Typography>
        {aside}
      </AccordionSummary>
      <AccordionDetails sx={{ pt: 0.5, '& .MuiFormHelperText-root': { mb: 1 } }}>{children}</AccordionDetails>
    </Accordion>
  )
}
