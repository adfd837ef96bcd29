// A small line that shows how a value went: nothing is read from it that a word does not say.
const width = 80;
const height = 24;

export function Spark({ values }: { values: number[] }) {
  const top = Math.max(...values, 0);
  if (values.length < 2 || top === 0) return null;
  const x = (index: number) => (index / (values.length - 1)) * width;
  const y = (value: number) => height - 2 - (value / top) * (height - 4);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <polygon class="spark-ground" points={`0,${height} ${points} ${width},${height}`} />
      <polyline class="spark-line" points={points} />
    </svg>
  );
}
