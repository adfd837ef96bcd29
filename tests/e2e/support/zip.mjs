// Zip archives for the stories, good ones and bad ones.
import { crc32, deflateRawSync } from "node:zlib";

const DEFLATED = 8,
  MADE_ON_UNIX = 3 << 8;

// `entries`: {name, content = "", mode = a plain file's, flags = 0, crc = the right one}.
export const zip = (entries) => {
  const locals = [],
    directory = [];
  let offset = 0;
  for (const { name, content = "", mode = 0o100644, flags = 0, crc } of entries) {
    const path = Buffer.from(name),
      bytes = Buffer.from(content),
      packed = deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    locals.push(Buffer.from("PK\x03\x04"), common, path, packed);
    const made_by = Buffer.alloc(2),
      tail = Buffer.alloc(14);
    made_by.writeUInt16LE(MADE_ON_UNIX | 20);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), made_by, common, tail, path);
    offset += 30 + path.length + packed.length;
  }
  const list = Buffer.concat(directory),
    end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
};
