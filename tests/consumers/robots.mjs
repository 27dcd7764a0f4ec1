// Robots that are none, for tests of live cells: servers that speak RTDE 2 of Universal Robots, simple_message of
// ROS-Industrial and JSON lines, written from what is published of these protocols and sharing nothing with cellpipe's
// own fakes. A robot is { port or path, until(connections), send(sample), raw(bytes), cut(), close() }; sample: { t, q, and
// of JSON lines anything else }.
import net from 'node:net';

// RTDE: size (16 bits, with the header of 3 bytes), type, contents; big-endian.
export function rtdePackage(type, ...contents) {
    const body = Buffer.concat(contents),
        head = Buffer.from([0, 0, type.charCodeAt(0)]);
    head.writeUInt16BE(body.length + 3);
    return Buffer.concat([head, body]);
}

const number = (size, write) => value => {
    const bytes = Buffer.alloc(size);
    bytes[write](value);
    return bytes;
};
const real = number(8, 'writeDoubleBE'),
    whole = number(4, 'writeUInt32BE');

// A data package of recipe 1 in the order timestamp, actual_q, safety_mode, runtime_state.
export const rtdeData = ({ t, q, safety = 1, runtime = 2 }, recipe = 1) =>
    rtdePackage('U', Buffer.from([recipe]), real(t), ...q.map(real), whole(safety), whole(runtime));

const types = { timestamp: 'DOUBLE', actual_q: 'VECTOR6D', safety_mode: 'INT32', runtime_state: 'UINT32' };

// Answers the requests of a client as a controller does. `asked` gets what was asked for; `version` is the one it speaks.
export function greetRtde(socket, asked, { version = 2, write = bytes => socket.write(bytes) } = {}) {
    let bytes = Buffer.alloc(0);
    socket.on('data', piece => {
        bytes = Buffer.concat([bytes, piece]);
        while (bytes.length >= 3 && bytes.length >= bytes.readUInt16BE(0)) {
            const size = bytes.readUInt16BE(0),
                type = String.fromCharCode(bytes[2]),
                body = bytes.subarray(3, size);
            bytes = bytes.subarray(size);
            asked.push({ type, body: Buffer.from(body) });
            if (type === 'V') write(rtdePackage('V', Buffer.from([body.readUInt16BE(0) === version ? 1 : 0])));
            else if (type === 'O')
                write(rtdePackage('O', Buffer.from([1]),
                    Buffer.from(body.toString('latin1', 8).split(',').map(name => types[name] ?? 'NOT_FOUND').join(','))));
            else if (type === 'S') {
                write(rtdePackage('S', Buffer.from([1])));
                socket.emit('started');
            }
        }
    });
}

// simple_message: length (32 bits, without itself), type, communication (1: a topic), reply, contents.
export function simpleMessage(big, type, contents, { communication = 1, length = 12 + contents.length } = {}) {
    const head = Buffer.alloc(16);
    [length, type, communication, 0].forEach((value, i) => (big ? head.writeUInt32BE(value >>> 0, 4 * i) : head.writeUInt32LE(value >>> 0, 4 * i)));
    return Buffer.concat([head, contents]);
}

export function simplePosition(big, { q }, sequence = 0) {
    const contents = Buffer.alloc(44);
    if (big) contents.writeInt32BE(sequence);
    else contents.writeInt32LE(sequence);
    q.forEach((value, i) => (big ? contents.writeFloatBE(value, 4 + 4 * i) : contents.writeFloatLE(value, 4 + 4 * i)));
    return simpleMessage(big, 10, contents);
}

// words: drives_powered, e_stopped, error_code, in_error, in_motion, mode, motion_possible
export function simpleStatus(big, words) {
    const contents = Buffer.alloc(28);
    words.forEach((value, i) => (big ? contents.writeInt32BE(value, 4 * i) : contents.writeInt32LE(value, 4 * i)));
    return simpleMessage(big, 13, contents);
}

// A server whose connections go to `meet`; `where` is a path of a Unix socket, or undefined.
export async function listen(meet, where) {
    const robot = { sockets: [], connections: 0, waiting: [] };
    robot.server = net.createServer(socket => {
        socket.setNoDelay(true);
        socket.on('error', () => {});
        robot.sockets.push(socket);
        robot.connections++;
        robot.socket = socket;
        robot.waiting = robot.waiting.filter(one => robot.connections < one.count || one.resolve(socket));
        meet?.(socket, robot);
    });
    await new Promise(resolve => (where ? robot.server.listen(where, resolve) : robot.server.listen(0, '127.0.0.1', resolve)));
    robot.port = where ? undefined : robot.server.address().port;
    robot.until = count => new Promise(resolve =>
        robot.connections >= count ? resolve(robot.socket) : robot.waiting.push({ count, resolve }));
    robot.raw = bytes => robot.socket.write(bytes);
    robot.cut = () => robot.socket.destroy();
    robot.close = () => {
        robot.sockets.forEach(socket => socket.destroy());
        robot.server.close();
    };
    return robot;
}
