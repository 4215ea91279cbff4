// Ask each query of standard input of its sources; print each answer, as the W3C writes it, in a list.

import { text } from 'node:stream/consumers';
import { QueryEngine } from '@comunica/query-sparql';

async function answer(engine, { query, sources }) {
  const result = await engine.query(query, { sources });
  const format = result.resultType === 'quads' ? 'application/n-triples' : 'application/sparql-results+json';
  const { data } = await engine.resultToString(result, format);
  return { content: await text(data) };
}

const engine = new QueryEngine();
const answers = [];
for (const asked of JSON.parse(await text(process.stdin))) {
  answers.push(await answer(engine, asked).catch((error) => ({ error: error.message })));
}
console.log(JSON.stringify(answers));
