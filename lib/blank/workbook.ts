import type { Parts } from '../util/zip.js'
import { type Language, type Paper, sheetName } from './locale.js'
import { contentTypes, DECLARATION, FONT, OFFICE_RELATIONS, relations, themePart } from './office-xml.js'

const SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const PLAIN = 'numFmtId="0" fontId="0" fillId="0" borderId="0"'

/** One empty sheet. */
export function workbookParts (language: Language, { code }: Paper): Parts {
  const direction = language.writing === 'right-to-left' ? ' rightToLeft="1"' : ''
  return {
    '[Content_Types].xml': contentTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
      'xl/styles.xml': 'spreadsheetml.styles',
      'xl/theme/theme1.xml': 'theme'
    }),
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${DECLARATION}<workbook ${SPREADSHEET} xmlns:r="${OFFICE_RELATIONS}"><bookViews><workbookView/></bookViews><sheets><sheet name="${sheetName(language)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml'], ['theme', 'theme/theme1.xml']),
    'xl/worksheets/sheet1.xml': `${DECLARATION}<worksheet ${SPREADSHEET}><sheetViews><sheetView${direction} tabSelected="1" workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><pageSetup paperSize="${code}"/></worksheet>`,
    'xl/styles.xml': stylesPart(),
    'xl/theme/theme1.xml': themePart()
  }
}

function stylesPart (): string {
  const parts = [
    `<fonts count="1"><font><sz val="11"/><color theme="1"/><name val="${FONT}"/><family val="2"/></font></fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    `<cellStyleXfs count="1"><xf ${PLAIN}/></cellStyleXfs>`,
    `<cellXfs count="1"><xf ${PLAIN} xfId="0"/></cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
  ]
  return `${DECLARATION}<styleSheet ${SPREADSHEET}>${parts.join('')}</styleSheet>`
}
