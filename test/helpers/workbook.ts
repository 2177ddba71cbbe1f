import { readFileSync } from 'node:fs'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The text of a part of an office file. */
export function partOf (bytes: Uint8Array, name: string): string {
  return strFromU8(unzipSync(bytes)[name]!)
}

/** An office file with some parts changed or added. */
export function withParts (bytes: Uint8Array, changes: Record<string, (before: string) => string>): Uint8Array {
  const parts = unzipSync(bytes)
  for (const [name, change] of Object.entries(changes)) parts[name] = strToU8(change(parts[name] === undefined ? '' : strFromU8(parts[name])))
  return zipSync(parts)
}

/**
 * The orders of the fixtures with what workbooks have: a sheet `Summary` with formulas of every kind, merged cells,
 * formats and column widths, a hidden sheet, a defined name, a calculation chain and a part nobody knows.
 */
export function richWorkbook (): Uint8Array {
  const orders = readFileSync(new URL('../fixtures/documents/orders.xlsx', import.meta.url))
  return withParts(orders, {
    '[Content_Types].xml': xml =>
      xml.replace(
        '</Types>',
        `<Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet3.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/calcChain.xml" ContentType="${TYPE}.calcChain+xml"/></Types>`
      ),
    'xl/_rels/workbook.xml.rels': xml =>
      xml.replace(
        '</Relationships>',
        `<Relationship Id="rId21" Type="${RELATION}/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId22" Type="${RELATION}/worksheet" Target="/xl/worksheets/sheet3.xml"/><Relationship Id="rId23" Type="${RELATION}/calcChain" Target="calcChain.xml"/></Relationships>`
      ),
    'xl/workbook.xml': xml =>
      xml
        .replace(
          '</sheets>',
          '<sheet name="Summary" sheetId="2" r:id="rId21"/><sheet name="Rates" sheetId="3" state="hidden" r:id="rId22"/></sheets><definedNames><definedName name="Rate">Rates!$A$1</definedName></definedNames>'
        ),
    'xl/styles.xml': xml =>
      xml
        .replace('<fonts count="4">', '<fonts count="5">').replace(
          '</fonts>',
          '<font><b/><sz val="10"/><name val="Arial"/></font></fonts>'
        )
        .replace(/<cellXfs count="\d+">/, whole => whole.replace(/\d+/, count => String(Number(count) + 4)))
        .replace(
          '</cellXfs>',
          '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="9" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="4" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
        ),
    'xl/worksheets/sheet2.xml': () => summary(cellStyles(orders)),
    'xl/worksheets/sheet3.xml': () =>
      `<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1"><v>0.5</v></c><c r="B1"><f>Summary!B2</f><v>7</v></c></row></sheetData></worksheet>`,
    'xl/calcChain.xml': () => `<calcChain xmlns="${MAIN}"><c r="B2" i="2"/><c r="B3"/><c r="B4"/></calcChain>`,
    'xl/unknown/part.bin': () => 'kept'
  })
}

/** How many styles the orders have: those of the summary come after them. */
function cellStyles (orders: Uint8Array): number {
  return Number(/<cellXfs count="(\d+)"/.exec(partOf(orders, 'xl/styles.xml'))![1])
}

function summary (first: number): string {
  const [money, percent, bold, text] = [first, first + 1, first + 2, first + 3]
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="${MAIN}" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac">
<dimension ref="A1:D6"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/>
<cols><col min="1" max="1" width="24" customWidth="1"/><col min="4" max="4" width="9" hidden="1"/></cols>
<sheetData>
  <row r="1" spans="1:4" x14ac:dyDescent="0.25"><c r="A1" s="${bold}" t="inlineStr"><is><t>Summary of orders</t></is></c><c r="B1" s="${bold}"/></row>
  <row r="2"><c r="A2" t="inlineStr"><is><t>Units</t></is></c><c r="B2"><f>SUM(orders!C2:C501)</f><v>7</v></c><c r="C2" s="${percent}"><v>0.25</v></c></row>
  <row r="3"><c r="A3" t="inlineStr"><is><t>Doubled &amp; more</t></is></c><c r="B3" s="${money}"><f t="shared" ref="B3:B5" si="0">B2*2</f><v>14</v></c><c r="C3" s="${text}" t="inlineStr"><is><t>007</t></is></c></row>
  <row r="4"><c r="B4" s="${money}"><f t="shared" si="0"/><v>28</v></c></row>
  <row r="5"><c r="B5" s="${money}"><f t="shared" si="0"/><v>56</v></c><c r="C5" t="b"><v>1</v></c></row>
  <row r="6"><c r="A6" t="str"><f>IF(Rate&gt;1,"high","low")</f><v>low</v></c><c r="B6"><f>1+1</f><v>2</v></c></row>
</sheetData>
<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>
<conditionalFormatting sqref="B2"><cfRule type="cellIs" priority="1" operator="greaterThan"><formula>5</formula></cfRule></conditionalFormatting>
</worksheet>`
}
